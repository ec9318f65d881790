import { useEffect, useRef } from 'react';
import { readLevels } from './use-phone.ts';
import './level.css';

const BARS = 7;
const EVERY_MS = 80;
const LOWEST = 0.08;

/**
 * How loud it was in the last moments, from left to right: the other end upwards, one's own downwards. Drawn without React, which need not look
 * at a page twelve times a second for it.
 */
export function Level({ isFlat }: { isFlat: boolean }) {
  const drawing = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const bars = [...drawing.current!.children] as HTMLElement[];
    const moments = bars.map(() => ({ theirs: 0, ours: 0 }));
    const draw = () =>
      bars.forEach((bar, index) => {
        const { theirs, ours } = moments[index]!;
        bar.style.setProperty('--theirs', String(Math.max(LOWEST, theirs)));
        bar.style.setProperty('--ours', String(Math.max(LOWEST, ours)));
      });
    draw();
    // Whoever wants nothing to move sees it in the words.
    if (isFlat || matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined;
    const moving = setInterval(() => {
      moments.shift();
      moments.push(readLevels());
      draw();
    }, EVERY_MS);
    return () => clearInterval(moving);
  }, [isFlat]);
  return (
    <div ref={drawing} className="level" aria-hidden title="Up: the other end. Down: you.">
      {Array.from({ length: BARS }, (_, bar) => (
        <span key={bar} />
      ))}
    </div>
  );
}
