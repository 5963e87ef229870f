// A link that contains everything: compressed, in the fragment, which browsers never send to a server.

const MOST = 200_000, MOST_UNPACKED = 4_000_000; // a short link can unpack to a thousand times its size

async function through(bytes, stream, most = Infinity) {
  const parts = [];
  let size = 0;
  for (const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) { await reader.cancel(); throw new RangeError("too long"); }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function pack(content) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(content)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function unpack(text) {
  if (!text || text.length > MOST) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const content = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), MOST_UNPACKED)));
    return typeof content?.program === "string" && typeof content?.stream === "string" ? content : null;
  } catch {
    return null;
  }
}

export const readLink = () => unpack(new URLSearchParams(location.hash.slice(1)).get("p"));
export const linkTo = async (content) => `${location.origin}/#p=${await pack(content)}`;
