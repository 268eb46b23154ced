// Requires the password again.
import { el } from './dom.js';

// Resolves to whether it was accepted; `submit` sends it, and throws if the server refuses it.
export function promptForPassword(submit) {
  const field = el('input', { type: 'password', required: true, autocomplete: 'current-password', maxlength: 256, id: 'password-again' });
  const outcome = el('p', { role: 'alert' });
  const cancel = el('button', { type: 'button' }, 'Cancel');
  const form = el('form', { class: 'page' },
    el('h2', { id: 'password-again-title' }, 'Your password, once more'),
    el('p', { class: 'hint' }, 'What you are about to do decides who gets into the account, so it wants to be sure that it is you. The next ten minutes it does not ask again.'),
    el('label', { class: 'field' }, el('span', {}, 'Password'), field),
    outcome,
    el('div', { class: 'row' }, el('button', { class: 'main', type: 'submit' }, 'Go on'), cancel));
  const dialog = el('dialog', { class: 'card', 'aria-labelledby': 'password-again-title' }, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    let isAccepted = false;
    cancel.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => { dialog.remove(); resolve(isAccepted); });
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      event.stopPropagation();
      try {
        await submit(field.value);
        isAccepted = true;
        dialog.close();
      } catch (error) {
        outcome.className = 'note-box bad';
        outcome.textContent = error.message;
        field.select();
      }
    });
    dialog.showModal();
    field.focus();
  });
}
