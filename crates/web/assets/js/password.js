// Asks for the password where what is wanted needs it again.
function element(name, members, ...children) {
  const it = Object.assign(document.createElement(name), members);
  it.append(...children);
  return it;
}

// Whether it was given; `give` sends it, and throws what the server has against it.
export function passwordAgain(give) {
  const field = element('input', { type: 'password', required: true, autocomplete: 'current-password', maxLength: 256, id: 'password-again' });
  const outcome = element('p', { role: 'alert' });
  const cancel = element('button', { type: 'button' }, 'Cancel');
  const form = element('form', { className: 'page' },
    element('h2', { id: 'password-again-title' }, 'Your password, once more'),
    element('p', { className: 'hint' }, 'What you are about to do opens the account to others, so it wants to be sure that it is you. The next ten minutes it does not ask again.'),
    element('label', { className: 'field' }, element('span', {}, 'Password'), field),
    outcome,
    element('div', { className: 'row' }, element('button', { className: 'main', type: 'submit' }, 'Go on'), cancel));
  const dialog = element('dialog', { className: 'card' }, form);
  dialog.setAttribute('aria-labelledby', 'password-again-title');
  document.body.append(dialog);
  return new Promise((resolve) => {
    let given = false;
    cancel.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => { dialog.remove(); resolve(given); });
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      event.stopPropagation();
      try {
        await give(field.value);
        given = true;
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
