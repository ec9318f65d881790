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

/** The frame of every page at the door. */
export function page(title: string, content: Html): string {
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
      </head>
      <body>
        <main>
          <img src="/assets/mark.svg" alt="" width="40" height="40" />
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.text;
}

export type Field = {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'url';
  autocomplete?: string;
  hint?: string;
  optional?: boolean;
  /** Shown, not to be changed. */
  fixed?: boolean;
};

export type Filled = { values: Record<string, string>; sentence?: string; errors?: Record<string, string[]> };

/** A form that keeps what was typed and says at each field what is wrong with it. Passwords have to be typed again. */
export function form(
  action: string,
  fields: Field[],
  button: string,
  { values, sentence, errors = {} }: Filled,
  hidden: Record<string, string> = {},
): Html {
  return html`<form method="post" action="${action}">
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${fields.map(({ name, label, type = 'text', autocomplete = 'off', hint, optional, fixed }) => {
      const fault = errors[name]?.[0];
      const note = fault ? `${label} ${fault}.` : hint;
      const described = note ? html` aria-describedby="${name}-note"` : html``;
      return html`<p class="field">
        <label for="${name}">${label}</label>
        <input
          id="${name}"
          name="${name}"
          type="${type}"
          autocomplete="${autocomplete}"
          value="${type === 'password' ? '' : values[name]}"
          ${described}${optional ? html`` : html` required`}${fixed ? html` readonly` : html``}${fault ? html` aria-invalid="true"` : html``}
        />
        ${note ? html`<span id="${name}-note" class="${fault ? 'fault' : 'hint'}">${note}</span>` : html``}
      </p>`;
    })}
    ${sentence ? html`<p class="fault" role="alert">${sentence}</p>` : html``}
    <button type="submit">${button}</button>
  </form>`;
}
