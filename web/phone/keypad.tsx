import { IconGridDots } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { nameKey, useKeys } from '../keys.ts';
import { Float } from '../ui/float.tsx';
import { Key } from '../ui/parts.tsx';
import './keypad.css';

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];
const LETTERS = ['', 'ABC', 'DEF', 'GHI', 'JKL', 'MNO', 'PQRS', 'TUV', 'WXYZ', '', '', ''];

/** The keys of a telephone, under their button. While they are open, digits go straight in; what was pressed is forgotten when they close. */
export function Keypad({ press, isActive }: { press: (digit: string) => void; isActive: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  const open = () => (isActive ? button.current?.click() : false);
  useKeys({ k: open });
  return (
    <Float
      ref={button}
      kind="dialog"
      label="Keys"
      className="phone-button"
      disabled={!isActive}
      panel={(close) => <Pad press={press} close={close} />}
    >
      <IconGridDots size={17} stroke={1.75} aria-hidden />
      <span>
        <span className="phone-word">Keys</span> <Key>K</Key>
      </span>
    </Float>
  );
}

function Pad({ press, close }: { press: (digit: string) => void; close: () => void }) {
  const [pressed, setPressed] = useState('');
  const take = (digit: string) => {
    setPressed((before) => before + digit);
    press(digit);
  };
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const key = nameKey(event);
      if (key !== 'k' && !KEYS.includes(key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat) return;
      if (key === 'k') close();
      else take(key);
    };
    addEventListener('keydown', hear, { capture: true });
    return () => removeEventListener('keydown', hear, { capture: true });
  }, []);
  return (
    <div className="keypad">
      {/* The focus rests here, so that no key is pressed by Enter or Space that was meant for another. */}
      <div className="keypad-pressed figures" role="status" tabIndex={-1} data-autofocus>
        {pressed || <span className="dim">Type or click</span>}
      </div>
      <div className="keypad-keys">
        {KEYS.map((key, place) => (
          <button key={key} type="button" onClick={() => take(key)}>
            {key}
            <small aria-hidden>{LETTERS[place]}</small>
          </button>
        ))}
      </div>
    </div>
  );
}
