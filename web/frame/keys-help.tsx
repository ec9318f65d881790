import { Key } from '../ui/parts.tsx';
import { Dialog } from '../ui/dialog.tsx';
import './keys-help.css';

const KEYS: [title: string, keys: [key: string, what: string][]][] = [
  [
    'The lead',
    [
      ['N', 'Next lead, without an outcome'],
      ['Z', 'Reopen the lead just saved'],
      ['F', 'Edit the first field, then Tab'],
      ['E', 'Note'],
      ['X', 'Text message instead of a note'],
      ['R', 'Let the lead go'],
      ['G', 'Change the list, typing filters'],
      ['[ ]', 'Jump in the script'],
      ['A', 'Add a lead, while there is none to call, or on a list’s page'],
    ],
  ],
  [
    'The telephone',
    [
      ['D', 'Dial, answer, dial again'],
      ['M', 'Mute yourself, talk again'],
      ['P', 'Hold, resume'],
      ['K', 'Keys: digits go straight in, K or Esc closes'],
      ['O', 'Off the record: pause the recording, record again'],
      ['V', 'Hang up, it was voicemail'],
      ['H', 'Hang up'],
    ],
  ],
  [
    'Listening',
    [
      ['Space', 'Play, pause'],
      ['← →', '5 seconds back, forward'],
      ['< >', 'Slower, faster'],
    ],
  ],
  [
    'Outcomes',
    [
      ['W', 'Winner'],
      ['C', 'Call back'],
      ['L', 'Loser'],
      ['A', 'Archive'],
      ['S', 'Skip'],
      ['1 … 9', 'Why'],
      ['T', 'When'],
      ['Enter', 'Save, next'],
      ['Ctrl Enter', 'The same from inside the note'],
    ],
  ],
  [
    'The table of leads',
    [
      ['/', 'Search among them'],
      ['J K', 'Next lead, the one before'],
      ['Home End', 'First lead, last'],
      ['Enter', 'Open it beside the table'],
      ['O', 'Open its own page'],
      ['X', 'Select it'],
      ['Shift ↑ ↓', 'Select more'],
      ['Ctrl A', 'Select all that match'],
      ['Esc', 'Close the lead, then select none'],
    ],
  ],
  [
    'Everywhere',
    [
      ['/', 'Search'],
      ['Ctrl K', 'Commands'],
      ['J K', 'Next lead found or list, the one before'],
      ['?', 'These shortcuts'],
      ['Esc', 'Leave a field'],
    ],
  ],
];

export function KeysHelp({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Dialog opened={opened} onClose={close} title="Keyboard shortcuts" size={700}>
      {/* The arrows scroll it at once. */}
      <div className="key-sheet" tabIndex={-1} data-autofocus>
        <p className="meta">They rest while you type; Esc leaves the field and wakes them.</p>
        <div className="key-columns">
          {KEYS.map(([title, keys]) => (
            <section key={title} aria-label={title}>
              <h2>{title}</h2>
              <dl>
                {keys.map(([key, what]) => (
                  <div key={key}>
                    <dt>
                      <Key>{key}</Key>
                    </dt>
                    <dd>{what}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </div>
    </Dialog>
  );
}
