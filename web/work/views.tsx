import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import './views.css';

type Props<Name extends string> = {
  views: Record<Name, { word: string; count?: number | undefined; panel: ReactNode }>;
  shown: Name;
  show: (name: Name) => void;
};

/** What stands side by side where there is room, one at a time where there is not. What is not shown stays as it was left. */
export function Views<Name extends string>({ views, shown, show }: Props<Name>) {
  const names = Object.keys(views) as Name[];
  const tabs = useRef<HTMLDivElement>(null);
  const walk = (event: KeyboardEvent) => {
    const at = names.indexOf(shown);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const name = names.at(to % names.length)!;
    show(name);
    tabs.current?.querySelector<HTMLElement>(`#tab-${name}`)?.focus();
  };
  return (
    <div className="panel views">
      <div ref={tabs} className="view-tabs" role="tablist" aria-label="Show" onKeyDown={walk}>
        {names.map((name) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={shown === name}
            aria-controls={`view-${name}`}
            tabIndex={shown === name ? 0 : -1}
            onClick={() => show(name)}
          >
            {views[name].word} {views[name].count !== undefined && <span className="figures">{views[name].count}</span>}
          </button>
        ))}
      </div>
      {names.map((name) => (
        <section
          key={name}
          id={`view-${name}`}
          className="view"
          role="tabpanel"
          aria-labelledby={`tab-${name}`}
          hidden={shown !== name}
        >
          {views[name].panel}
        </section>
      ))}
    </div>
  );
}
