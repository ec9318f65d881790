import { useQuery } from '@tanstack/react-query';
import type { Token, Tokens } from 'marked';
import type { ReactNode } from 'react';
import type { Lead } from './queries.ts';
import './script-text.css';

type Values = Pick<Lead, 'lead_data'>;

/** The lexer takes its time once, for its patterns; nobody waits for it to see whom to call. */
const tokensQuery = (script: string) => ({
  queryKey: ['script', script],
  queryFn: async (): Promise<Token[]> => (await import('marked')).lexer(script),
  staleTime: Infinity,
  // Of a script that is being written each version is read once.
  gcTime: 60_000,
});

/** A script as the lexer reads it, and the headings in it. Of one that is being written what was read before stays meanwhile. */
export function useScript(script: string, isWritten = false) {
  const stays = isWritten && { placeholderData: (before: Token[] | undefined) => before };
  const { data: tokens = [] } = useQuery({ ...tokensQuery(script), ...stays });
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  return { tokens, headings };
}

type Context = {
  lead: Values;
  labelOf: (key: string) => string;
  /** Undefined where nothing can be filled in. */
  fill?: ((key: string) => void) | undefined;
  /** Whether a merge tag names a field; those that do not are underlined. */
  isKnown?: ((key: string) => boolean) | undefined;
};

/** Markdown, read into elements of our own: whatever a script says is shown, never run. */
export const ScriptText = ({ tokens, ...context }: Context & { tokens: Token[] }) => draw(tokens, context);

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
function merge(text: string, { lead, labelOf, fill, isKnown }: Context): ReactNode[] {
  return unescape(text)
    .split(/\{\{\s*([\w-]+)\s*\}\}/)
    .map((part, index) => {
      if (index % 2 === 0) return part;
      if (isKnown && !isKnown(part)) {
        return (
          <span key={index} className="merge unknown" title="No field has this key">
            {`{{${part}}}`}
          </span>
        );
      }
      const value = lead.lead_data[part];
      if (value) {
        return (
          <span key={index} className="merge">
            {value}
          </span>
        );
      }
      const blank = `${labelOf(part)} is empty`;
      return fill ? (
        <button key={index} type="button" className="merge blank" onClick={() => fill(part)}>
          {blank}
        </button>
      ) : (
        <span key={index} className="merge blank">
          {blank}
        </span>
      );
    });
}

/** The same as plain text. */
export const merged = (text: string, { lead_data }: Values): string =>
  unescape(text).replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, (_, key: string) => lead_data[key] ?? '…');

/** The lexer writes text for HTML, and React does so too. */
const unescape = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
