import type { ListWithSettings } from '../../../contract/list-pages.ts';
import { OutcomeRow, WhyRow } from '../../outcomes/choices.tsx';
import { Again } from '../../outcomes/coming-back.tsx';
import { BLANK } from '../../outcomes/draft.ts';
import { OUTCOMES } from '../../ui/states.tsx';
import type { Chosen } from './categories.ts';
import '../../ui/panel.css';
import './outcome-preview.css';

type Props = { list: ListWithSettings; chosen: Chosen; choose: (chosen: Chosen) => void };

/** The third of them, where there are so many: enough to see what is counted. */
const TRY = 3;

function tomorrowAtNine(): string {
  const at = new Date();
  at.setDate(at.getDate() + 1);
  at.setHours(9, 0, 0, 0);
  return at.toISOString();
}

/** The dock, as an agent will have it. */
export function OutcomePreview({ list, chosen: { kind, category }, choose }: Props) {
  const names = list.categories[kind] ?? [];
  const known = category !== undefined && names.includes(category) ? category : undefined;
  const retry = known === undefined ? undefined : list.retries[known];
  const most = retry?.archived_after ?? null;
  const attempt = most === null ? 0 : Math.min(TRY, most);
  return (
    <section className="panel flush" aria-label="What the agent will see">
      <div className="panel-head">
        <h2 className="grow">What the agent will see</h2>
        <span className="meta wrap">{known ?? OUTCOMES[kind].word}</span>
      </div>
      <div className={`outcome-preview tone-${OUTCOMES[kind].state}`}>
        <OutcomeRow outcome={kind} choose={(name) => choose({ kind: name, category: undefined })} />
        <WhyRow
          categories={names}
          draft={{ ...BLANK, outcome: kind, category: known }}
          change={(change) => choose({ kind, category: change.category })}
        />
        {kind === 'call_back' && (
          <Again
            coming={{
              category: known ?? null,
              comes_back_after: retry?.comes_back_after ?? 60,
              at: tomorrowAtNine(),
              attempt,
              archived_after: most,
              archives: most !== null && attempt === most,
            }}
          />
        )}
        {kind === 'skip' && names.length === 0 && <p className="meta">Saves at once: there is nothing to ask.</p>}
      </div>
    </section>
  );
}

export const TryingAgain = () => (
  <section className="panel trying-again" aria-label="How trying again works">
    <h2>How trying again works</h2>
    <p>A time chosen at the desk always wins. A fixed appointment is never moved.</p>
    <p>Tries are calls out since someone was last reached.</p>
    <p>
      After the last one the lead is archived with “No answer, 5 tries” as comment. The agent’s call back stays in the
      history.
    </p>
    <p>Times of day are the lead’s own. Changes count from the next try, never backwards.</p>
  </section>
);
