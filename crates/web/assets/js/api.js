// The JSON API with a session.
import { passwordAgain } from './password.js';

let token;

// Called without a session, so without a CSRF token.
const DOORS = ['POST /api/session', 'POST /api/welcome'];

async function csrfToken() {
  if (!token) {
    const answer = await fetch('/api/session', { headers: { Accept: 'application/json' } });
    if (answer.ok) token = (await answer.json()).csrfToken;
  }
  return token;
}

export class Refused extends Error {
  constructor(status, problem, retryAfter) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.status = status;
    this.problem = problem;
    // Seconds.
    this.retryAfter = retryAfter;
  }
}

// No response: no connection, or no server.
export class Unreachable extends Error {
  constructor() {
    super('Cannot reach the server. Check your connection and try again.');
    this.isUnreachable = true;
  }
}

async function answered(path, options) {
  try {
    const answer = await fetch(path, options);
    return { answer, text: await answer.text() };
  } catch { throw new Unreachable(); }
}

async function once(method, path, body, more) {
  const headers = { Accept: 'application/json', ...more };
  if (method !== 'GET' && !DOORS.includes(`${method} ${path}`)) {
    const proof = await csrfToken().catch(() => undefined);
    if (proof) headers['X-CSRF-Token'] = proof;
  }
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const { answer, text } = await answered(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  let read = {};
  try { read = text ? JSON.parse(text) : {}; } catch { read = { detail: 'The server answered something that is not JSON.' }; }
  if (!answer.ok) throw new Refused(answer.status, read, Number(answer.headers.get('Retry-After') ?? NaN));
  if (read.csrfToken) token = read.csrfToken;
  return { read, etag: answer.headers.get('ETag') };
}

// Returns the response and its ETag. Retries once after a rejected CSRF token, and after asking for the password
// where the server requires it again.
export async function exchange(method, path, body, more = {}) {
  try {
    return await once(method, path, body, more);
  } catch (error) {
    const { code, reason } = error.problem ?? {};
    if (code === 'csrf-rejected' && reason === 'bad-token') token = undefined;
    else if (code === 'session-required') {
      token = undefined;
      throw new Refused(error.status, { code, detail: 'You are signed out. Sign in in a new tab, then try again. Your input is kept.' });
    } else if (code === 'reauthentication-required') {
      if (!(await passwordAgain(giveAgain))) throw new Refused(error.status, { detail: 'Nothing was done: it needs your password.' });
    } else throw error;
    return once(method, path, body, more);
  }
}

const giveAgain = (password) => once('POST', '/api/session/reauthenticate', { password }, {});

export async function send(method, path, body) {
  return (await exchange(method, path, body)).read;
}

const pause = (seconds) => new Promise((done) => { setTimeout(done, 1000 * seconds); });

// Waits and retries when rate-limited, up to 60 s at a time.
export async function patiently(method, path, body) {
  for (;;) {
    try {
      return await send(method, path, body);
    } catch (error) {
      if (error.status !== 429 || !(error.retryAfter <= 60)) throw error;
      await pause(error.retryAfter);
    }
  }
}
