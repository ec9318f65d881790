import { listFirst } from '../pages/application.ts';

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What is put in is shown, never run. */
export function html(parts: TemplateStringsArray, ...values: (Html | Html[] | string | number | undefined)[]): Html {
  const write = (value: (typeof values)[number]): string => {
    if (value instanceof Html) return value.text;
    if (Array.isArray(value)) return value.map(write).join('');
    return String(value ?? '').replaceAll(/[&<>"']/g, (character) => ESCAPES[character]!);
  };
  return new Html(String.raw({ raw: parts }, ...values.map(write)));
}

export const NOTHING = html``;

export type Page = {
  title: string;
  /** Where it says more than the title in the browser's tab. */
  heading?: string;
  /** Under the heading: where one is, or what this is. */
  lead?: string;
  /** What the picture beside it says. */
  motto?: Motto;
  /** Room for fields side by side. */
  wide?: boolean;
  content: Html;
};

type Motto = { line: string; more: string };

const DESK: Motto = { line: 'The right lead, at the right time.', more: 'One queue, one desk, nobody called twice.' };
export const OWN_SERVER: Motto = {
  line: 'Your calls, on\u00A0your\u00A0own server.',
  more: 'Nothing leaves this machine unless you say so.',
};

let files: string[] | undefined;
const inside = () => (files ??= listFirst());

/** The frame of every page at the door. */
export function page({ title, heading = title, lead, motto = DESK, wide = false, content }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="same-origin" />
        <title>${title} · Leadline</title>
        <link rel="icon" href="/assets/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/door.css" />
        <script src="/assets/door.js" defer></script>
        ${inside().map((file) => html`<link rel="prefetch" href="${file}" />`)}
      </head>
      <body>
        <aside>
          ${LEAD_LINE}
          <p class="brand"><img src="/assets/mark.svg" alt="" width="36" height="36" /> Leadline</p>
          <p class="motto">${motto.line}<span>${motto.more}</span></p>
        </aside>
        <main class="${wide ? 'wide' : ''}">
          <img class="small-mark" src="/assets/mark.svg" alt="" width="40" height="40" />
          <h1>${heading}</h1>
          ${lead ? html`<p class="lead">${lead}</p>` : NOTHING} ${content}
        </main>
      </body>
    </html> `.text;
}

/** A lead line let down to the ground, with the depths beside it. */
const LEAD_LINE = html`<svg viewBox="0 0 560 900" preserveAspectRatio="xMaxYMin meet" aria-hidden="true">
  <path class="line" d="M410 0v606" />
  <path class="drop" d="M410 604c17 12 30 32 30 52a30 30 0 0 1-60 0c0-20 13-40 30-52Z" />
  ${Array.from({ length: 13 }, (_, step) => {
    const y = 96 + step * 44;
    if (step % 3 > 0) return html`<path class="depth" d="M466 ${y}h8" />`;
    return html`<path class="depth" d="M466 ${y}h18" /><text x="494" y="${y + 4}">${step * 2}</text>`;
  })}
</svg>`;

export type Field = {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'url' | 'checkbox' | 'select';
  autocomplete?: string;
  hint?: string;
  optional?: boolean;
  /** Shown, not to be changed. */
  fixed?: boolean;
  /** Beside the next one, where there is room. */
  half?: boolean;
  /** A password to come: how good it is can be said. */
  fresh?: boolean;
  /** Known to be right. */
  proven?: boolean;
  /** A password that stays where only others have to be mended: it is nobody's yet. */
  kept?: boolean;
  /** As programs write it. */
  mono?: boolean;
  /** Of a select. */
  choices?: { value: string; label: string }[];
  /** What the browser may know: its country or its time zone. */
  guess?: 'country' | 'time-zone';
  /** At the other end of a checkbox's line. */
  beside?: Html;
};

export type Filled = { values: Record<string, string>; sentence?: string; errors?: Record<string, string[]> };

/**
 * A form that keeps what was typed and says at each field what is wrong with it. Passwords have to be typed again, unless they are `kept`.
 * `atOnce`: the browser would tell one missing field after the other; we tell all.
 */
export function form(
  action: string,
  fields: Field[],
  button: string,
  { values, sentence, errors = {} }: Filled,
  hidden: Record<string, string> = {},
  atOnce = false,
): Html {
  const first = fields.find(({ name }) => errors[name]) ?? fields.find((field) => isOpen(field, values));
  return html`<form method="post" action="${action}" ${flag('novalidate', atOnce)}>
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${fields.map((field) => (field.type === 'checkbox' ? checkbox(field, values) : written(field, values, errors, field === first)))}
    ${sentence ? html`<p class="fault sentence" role="alert">${sentence}</p>` : NOTHING}
    <button type="submit">${button} <kbd aria-hidden="true">↵</kbd></button>
  </form>`;
}

/** Still to be filled in: where the keyboard begins. */
const isOpen = ({ name, type, fixed }: Field, values: Filled['values']): boolean =>
  !fixed && (type === 'password' || !values[name]);

const checkbox = ({ name, label, hint, beside = NOTHING }: Field, values: Filled['values']): Html =>
  html`<p class="check">
    <label
      ><input
        type="checkbox"
        name="${name}"
        value="1"
        ${flag('checked', values[name] === '1')}
        ${hint ? html` aria-describedby="${name}-note"` : NOTHING}
      />
      ${label}</label
    >
    ${beside} ${hint ? html`<span id="${name}-note" class="hint">${hint}</span>` : NOTHING}
  </p>`;

const flag = (name: string, set: boolean | undefined): Html => (set ? html` ${name}` : NOTHING);

function written(field: Field, values: Filled['values'], errors: Required<Filled>['errors'], first: boolean): Html {
  const { name, label, type = 'text', hint, optional, half, fresh, proven, mono } = field;
  const fault = errors[name]?.[0];
  const note = fault ? `${label} ${fault}.` : hint;
  const common = html`id="${name}"
  name="${name}"${note ? html` aria-describedby="${name}-note"` : NOTHING}${flag('required', !optional)}${flag('autofocus', first)}${fault ? html` aria-invalid="true"` : NOTHING}`;
  const kinds = { half, mono, proven: proven && !fault, secret: type === 'password' };
  const classes = Object.entries(kinds).flatMap(([kind, is]) => (is ? [kind] : []));
  return html`<p class="field ${classes.join(' ')}">
    <label for="${name}">${label}${optional ? html` <span class="optional">optional</span>` : NOTHING}</label>
    <span class="input"
      >${type === 'select' ? select(field, common, values[name]) : input(field, common, values[name])}</span
    >
    ${note ? html`<span id="${name}-note" class="${fault ? 'fault' : 'hint'}">${note}</span>` : NOTHING}
    ${fresh ? METER : NOTHING}
  </p>`;
}

const select = ({ autocomplete = 'off', choices = [], guess }: Field, common: Html, chosen = ''): Html =>
  html`<select ${common} autocomplete="${autocomplete}" ${guess ? html` data-guess="${guess}"` : NOTHING}>
    <option value="">Choose</option>
    ${choices.map(({ value, label }) => html`<option value="${value}" ${flag('selected', value === chosen)}>${label}</option>`)}
  </select>`;

const input = ({ type = 'text', autocomplete = 'off', fixed, kept }: Field, common: Html, value = ''): Html =>
  html`<input
      ${common}
      type="${type}"
      autocomplete="${autocomplete}"
      value="${type === 'password' && !kept ? '' : value}"
      ${flag('readonly', fixed)}
    />${type === 'password' ? EYE : NOTHING}`;

// Of no use without the script, which brings them to light.
const EYE = html`<button type="button" class="eye" aria-label="Show what is typed" aria-pressed="false" hidden>
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d="M2.5 12c2.3-4.3 5.5-6.5 9.5-6.5s7.2 2.2 9.5 6.5c-2.3 4.3-5.5 6.5-9.5 6.5S4.8 16.3 2.5 12Z" />
    <circle cx="12" cy="12" r="3.2" />
    <path class="struck" d="M4 20 20 4" />
  </svg>
</button>`;
const METER = html`<span class="meter" hidden
  ><i></i><i></i><i></i><i></i><span aria-live="polite"></span><span></span
></span>`;
