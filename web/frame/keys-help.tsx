import { Modal } from '@mantine/core';
import { Key } from '../ui/parts.tsx';

const KEYS: [title: string, keys: [key: string, what: string][]][] = [
  [
    'The lead',
    [
      ['N', 'Next lead, without an outcome'],
      ['Z', 'Take the lead just saved up again'],
      ['F', 'Edit the first field, then Tab'],
      ['E', 'Note'],
      ['X', 'Text message instead of the note'],
      ['R', 'Let the lead go'],
      ['G', 'Change the list'],
      ['[ ]', 'Jump in the script'],
    ],
  ],
  [
    'The telephone',
    [
      ['D', 'Dial, answer, dial again'],
      ['H', 'Hang up'],
      ['V', 'Hang up as voicemail'],
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
    'Listening',
    [
      ['Space', 'Play, pause'],
      ['← →', '5 seconds back, on'],
      ['< >', 'Slower, faster'],
    ],
  ],
  [
    'Everywhere',
    [
      ['/', 'Search'],
      ['Ctrl K', 'Commands'],
      ['?', 'These keys'],
      ['Esc', 'Leave a field'],
    ],
  ],
];

export function KeysHelp({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Keys" size="lg" centered transitionProps={{ duration: 120 }}>
      <div className="keys-help">
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
    </Modal>
  );
}
