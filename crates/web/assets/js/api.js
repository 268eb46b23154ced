// The JSON API with a session.
import { promptForPassword } from './password.js';

let token;

// Called without a session, so without a CSRF token.
const WITHOUT_SESSION = /^POST \/api\/(session|welcome|invitation|invitation\/accept|password-reset|password-reset\/complete|address\/confirm|address\/cancel|not-me|unsubscribe)($|\?)/;

async function csrfToken() {
  if (!token) {
    const response = await fetch('/api/session', { headers: { Accept: 'application/json' } });
    if (response.ok) token = (await response.json()).csrfToken;
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

async function fetchText(path, options) {
  try {
    const response = await fetch(path, options);
    return { response, text: await response.text() };
  } catch { throw new Unreachable(); }
}

async function sendOnce(method, path, body, more) {
  const headers = { Accept: 'application/json', ...more };
  if (method !== 'GET' && !WITHOUT_SESSION.test(`${method} ${path}`)) {
    const csrf = await csrfToken().catch(() => undefined);
    if (csrf) headers['X-CSRF-Token'] = csrf;
    // The account that this page shows: after a switch in another tab, the server refuses the change.
    const { account } = document.body.dataset;
    if (account) headers['X-Sightline-Account'] = account;
  }
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const { response, text } = await fetchText(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  let data = {};
  try { data = text ? JSON.parse(text) : {}; } catch { data = { detail: 'The server answered something that is not JSON.' }; }
  if (!response.ok) throw new Refused(response.status, data, Number(response.headers.get('Retry-After') ?? NaN));
  if (data.csrfToken) token = data.csrfToken;
  return { data, etag: response.headers.get('ETag') };
}

// Returns the response and its ETag. Retries once after a rejected CSRF token, and after asking for the password
// where the server requires it again.
export async function exchange(method, path, body, more = {}) {
  try {
    return await sendOnce(method, path, body, more);
  } catch (error) {
    const { code, reason } = error.problem ?? {};
    if (code === 'csrf-rejected' && reason === 'bad-token') token = undefined;
    else if (code === 'session-required') {
      token = undefined;
      throw new Refused(error.status, { code, detail: 'You are signed out. Sign in in a new tab, then try again. Your input is kept.' });
    } else if (code === 'reauthentication-required') {
      if (!(await promptForPassword(reauthenticate))) throw new Refused(error.status, { detail: 'Nothing was done: it needs your password.' });
    } else throw error;
    return sendOnce(method, path, body, more);
  }
}

const reauthenticate = (password) => sendOnce('POST', '/api/session/reauthenticate', { password }, {});

export async function send(method, path, body) {
  return (await exchange(method, path, body)).data;
}

const pause = (seconds) => new Promise((done) => { setTimeout(done, 1000 * seconds); });

// Waits and retries when rate-limited, up to 60 s at a time.
export async function sendWithRetry(method, path, body) {
  for (;;) {
    try {
      return await send(method, path, body);
    } catch (error) {
      if (error.status !== 429 || !(error.retryAfter <= 60)) throw error;
      await pause(error.retryAfter);
    }
  }
}
