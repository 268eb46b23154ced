// The page of an invitation: shows what the link offers, and the form that fits the person.
import { send } from './api.js';

const form = document.getElementById('join');
const offer = document.getElementById('offer');
const link = form.querySelector('input[data-hash]');

const listOf = (names) => (names.length ? ` It shows ${names.join(', ')}.` : '');

function describe({ account, inviter, role, projects, email, isKnownPerson }) {
  offer.textContent = `${inviter} invites ${email} to ${account}, as ${role}.${listOf(projects)}`;
  const address = document.getElementById('invited-email');
  if (address) address.value = email;
  for (const it of form.querySelectorAll('[data-new-person]')) it.hidden = isKnownPerson;
  for (const it of form.querySelectorAll('[data-known-person]')) it.hidden = !isKnownPerson;
  const name = form.elements.namedItem('name');
  if (name) name.required = !isKnownPerson;
  const password = form.elements.namedItem('password');
  if (password) password.autocomplete = isKnownPerson ? 'current-password' : 'new-password';
  form.hidden = false;
}

async function open() {
  if (!link.value) { offer.textContent = 'Open the whole link that you were sent.'; return; }
  try {
    describe(await send('POST', '/api/invitation', { link: link.value }));
  } catch (error) {
    form.hidden = true;
    offer.textContent = [error.message, error.problem?.hint].filter(Boolean).join(' ');
  }
}

open();
// A link pasted into the open page.
addEventListener('hashchange', open);
