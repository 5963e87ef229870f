// Requests to the server. Every answer is an object; if it has `error`, that is a message that says what went wrong.

export async function ask(path, body, signal) {
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method: "POST", signal, body: JSON.stringify(body), headers: { "content-type": "application/json" },
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return failed("the server does not answer: is `laser serve` still running?");
  }
  try {
    return await response.json();
  } catch {
    return failed(`the server answered with ${response.status}`);
  }
}

export async function post(path, text) {
  try {
    const response = await fetch(`/api/${path}`, { method: "POST", body: text });
    return await response.json();
  } catch {
    return failed("the server does not answer");
  }
}

const failed = (message) => ({ error: { kind: "server", message } });

// Only the latest request counts: an older one that is still open is cancelled.
export function latest(path) {
  let open = null;
  return async (body) => {
    open?.abort();
    const mine = (open = new AbortController());
    try {
      const answer = await ask(path, body, mine.signal);
      return mine === open ? answer : null;
    } catch {
      return null;
    }
  };
}
