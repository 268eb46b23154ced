// The JSON API of a signed-in session.
let token;

async function csrfToken() {
  if (!token) {
    const answer = await fetch('/api/session', { headers: { Accept: 'application/json' } });
    if (answer.ok) token = (await answer.json()).csrfToken;
  }
  return token;
}

export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.status = status;
    this.problem = problem;
  }
}

export async function send(method, path, body) {
  const headers = { Accept: 'application/json' };
  if (method !== 'GET') {
    // Whoever signs in has no session yet, and so no token.
    const proof = await csrfToken().catch(() => undefined);
    if (proof) headers['X-CSRF-Token'] = proof;
  }
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await answer.text();
  let read = {};
  try { read = text ? JSON.parse(text) : {}; } catch { read = { detail: 'The server answered something that is not JSON.' }; }
  if (!answer.ok) throw new Refused(answer.status, read);
  return read;
}
