// node --test tests/modules
import assert from 'node:assert/strict';
import test from 'node:test';
import { failureText, remedies } from '../../crates/web/assets/js/notice.js';

const refused = (status, code) => ({ status, message: 'No.', problem: { code } });

test('a session that ended offers to sign in and come back', () => {
  assert.deepEqual(remedies(refused(401, 'session-required'), '/projects/7?tag=a'), { links: [['Sign in', '/sign-in?next=%2Fprojects%2F7%3Ftag%3Da', true]], canRetry: true });
});

test('a used up quota leads to the usage', () => {
  for (const code of ['quota-exceeded', 'allowance-exceeded', 'queue-full']) assert.deepEqual(remedies(refused(429, code)), { links: [['See usage', '/settings/usage', false]], canRetry: false });
});

test('only what may pass is offered again', () => {
  assert.equal(remedies({ message: 'x', isUnreachable: true }).canRetry, true);
  for (const [status, canRetry] of [[503, true], [500, true], [429, true], [409, false], [422, false], [404, false]]) assert.equal(remedies(refused(status, 'x')).canRetry, canRetry, status);
});

test('messages come with their hint and without pointers', () => {
  assert.equal(failureText({ message: '/projectId: must be a number', problem: { hint: 'Send one.' } }), 'Must be a number Send one.');
  assert.equal(failureText({ message: 'The queue is full.' }), 'The queue is full.');
});
