// What the forms can do without, and are nicer with: nothing here is needed to get in.

for (const eye of document.querySelectorAll('.eye')) {
  const input = eye.previousElementSibling;
  eye.hidden = false;
  eye.addEventListener('click', () => {
    const shown = input.type === 'password';
    input.type = shown ? 'text' : 'password';
    eye.setAttribute('aria-pressed', String(shown));
    input.focus();
  });
  // A browser keeps what was typed into a text field; a password must not be among it.
  input.form.addEventListener('submit', () => {
    input.type = 'password';
  });
}

// What was wrong is not said of what is written now.
for (const field of document.querySelectorAll('[aria-invalid]')) {
  field.addEventListener(
    'input',
    () => {
      field.removeAttribute('aria-invalid');
      document.getElementById(`${field.id}-note`).hidden = true;
    },
    { once: true },
  );
}

const SHORTEST = 10;

/** Of the length only. Whether it is easily guessed the service finds out, with dictionaries, so nothing is promised here. */
function judge(password) {
  const { length } = Array.from(password);
  if (length < SHORTEST) return [1, 'Too short'];
  if (new Set(password).size < 5) return [1, 'Easily guessed'];
  return [length < 14 ? 2 : length < 18 ? 3 : 4, 'Long enough'];
}

for (const meter of document.querySelectorAll('.meter')) {
  const [word, count] = meter.querySelectorAll('span');
  const input = meter.parentElement.querySelector('input');
  const tell = () => {
    const { length } = Array.from(input.value);
    const [bars, said] = judge(input.value);
    meter.hidden = length === 0;
    meter.querySelectorAll('i').forEach((bar, index) => bar.classList.toggle('on', index < bars));
    // Said aloud only when it becomes another word.
    if (word.textContent !== said) word.textContent = said;
    count.textContent = `, ${length} ${length === 1 ? 'character' : 'characters'}`;
  };
  input.addEventListener('input', tell);
  tell();
}

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const guesses = { country: new Intl.Locale(navigator.language).maximize().region, 'time-zone': timeZone };
for (const choice of document.querySelectorAll('select[data-guess]')) {
  const guess = guesses[choice.dataset.guess];
  if (choice.value === '' && [...choice.options].some(({ value }) => value === guess)) choice.value = guess;
}
