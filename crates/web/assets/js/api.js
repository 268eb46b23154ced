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
  return (await exchange(method, path, body)).read;
}

// The same with further headers, and with the entity tag of what is answered.
export async function exchange(method, path, body, more = {}) {
  const headers = { Accept: 'application/json', ...more };
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
  return { read, tag: answer.headers.get('ETag'), status: answer.status };
}

// Every page of a list, up to so many rows; `more` is whether there are others.
export async function all(path, most = Infinity, told = () => {}) {
  const items = [];
  let cursor = null;
  do {
    const page = await send('GET', cursor === null ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`);
    items.push(...(page.items ?? []));
    cursor = page.nextCursor ?? null;
    told(items.length, page);
  } while (cursor !== null && items.length < most);
  return { items, more: cursor !== null };
}
