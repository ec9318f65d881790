import { useQuery } from '@tanstack/react-query';
import type { Token, Tokens } from 'marked';
import { useRef, useState, type ReactNode } from 'react';
import { useKeys } from '../keys.ts';
import { Empty, Key } from '../ui/parts.tsx';
import type { Lead } from '../leads/queries.ts';
import { Tab } from '../ui/tabs.tsx';
import '../ui/panel.css';
import './script.css';

type Props = { script: string; lead: Lead; fill: (key: string) => void };

/** The lexer takes its time once, for its patterns; nobody waits for it to see whom to call. */
const tokensQuery = (script: string) => ({
  queryKey: ['script', script],
  queryFn: async (): Promise<Token[]> => (await import('marked')).lexer(script),
  staleTime: Infinity,
});

/** Markdown, read into elements of our own: whatever a script says is shown, never run. */
export function Script({ script, lead, fill }: Props) {
  const { data: tokens = [] } = useQuery(tokensQuery(script));
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  const body = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const jump = (index: number) => {
    const to = Math.min(Math.max(index, 0), headings.length - 1);
    setAt(to);
    body.current?.querySelectorAll('h3')[to]?.scrollIntoView({ block: 'start' });
  };
  useKeys({ '[': () => jump(at - 1), ']': () => jump(at + 1) });
  const context: Context = { lead, fill };
  return (
    <section className="panel script" aria-label="Script">
      <div className="panel-head">
        <h2>Script</h2>
        {headings.map((heading, index) => (
          <Tab key={heading.raw + index} pressed={at === index} onClick={() => jump(index)}>
            {merged(heading.text, lead)}
          </Tab>
        ))}
        <span className="grow" />
        {headings.length > 1 && (
          <span className="dim wide-only">
            <Key>[</Key> <Key>]</Key>
          </span>
        )}
      </div>
      <div className="script-body" ref={body} tabIndex={0} role="group" aria-label="What to say">
        {script.trim() === '' ? (
          <Empty title="No script yet.">A data manager writes it with the list.</Empty>
        ) : (
          draw(tokens, context)
        )}
      </div>
    </section>
  );
}

type Context = { lead: Lead; fill: (key: string) => void };

const draw = (tokens: Token[] | undefined, context: Context): ReactNode[] =>
  (tokens ?? []).map((token, index) => <Drawn key={index} token={token} context={context} />);

function Drawn({ token, context }: { token: Token; context: Context }): ReactNode {
  const inside = () => draw('tokens' in token ? token.tokens : undefined, context);
  switch (token.type) {
    case 'heading':
      return <h3>{inside()}</h3>;
    case 'paragraph':
      return <p>{inside()}</p>;
    case 'blockquote':
      return <blockquote>{inside()}</blockquote>;
    case 'list': {
      const { ordered, items } = token as Tokens.List;
      const List = ordered ? 'ol' : 'ul';
      return (
        <List>
          {items.map((item, index) => (
            <li key={index}>{draw(item.tokens, context)}</li>
          ))}
        </List>
      );
    }
    case 'strong':
      return <strong>{inside()}</strong>;
    case 'em':
      return <em>{inside()}</em>;
    case 'br':
      return <br />;
    case 'space':
      return null;
    case 'hr':
      return <hr />;
    case 'text':
      return 'tokens' in token && token.tokens ? inside() : merge(token.text as string, context);
    // Links, code, HTML and the rest: as they were written.
    default:
      return 'tokens' in token && token.tokens ? inside() : merge(token.raw, context);
  }
}

/** `{{key}}` is what the lead's card says, or an empty place that asks to be filled. */
function merge(text: string, { lead, fill }: Context): ReactNode[] {
  return unescape(text)
    .split(/\{\{\s*([\w-]+)\s*\}\}/)
    .map((part, index) => {
      if (index % 2 === 0) return part;
      const value = lead.lead_data[part];
      if (value) {
        return (
          <span key={index} className="merge">
            {value}
          </span>
        );
      }
      return (
        <button key={index} type="button" className="merge blank" onClick={() => fill(part)}>
          {part} is empty
        </button>
      );
    });
}

/** The same as plain text. */
const merged = (text: string, { lead_data }: Lead): string =>
  unescape(text).replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, (_, key: string) => lead_data[key] ?? '…');

/** The lexer writes text for HTML, and React does so too. */
const unescape = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
