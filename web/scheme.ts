/** Light, dark, or as the system has it; one browser, one choice. */
export type Scheme = 'auto' | 'light' | 'dark';

const KEPT = 'leadline scheme';
const system = matchMedia('(prefers-color-scheme: dark)');

export function readScheme(): Scheme {
  const kept = localStorage.getItem(KEPT);
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}

/** The name is the kit's, whose styles look for it. */
export function showScheme(): void {
  const scheme = readScheme();
  const isDark = scheme === 'dark' || (scheme === 'auto' && system.matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
}

const listeners = new Set<(scheme: Scheme) => void>();

export function keepScheme(scheme: Scheme): void {
  localStorage.setItem(KEPT, scheme);
  for (const hear of listeners) hear(scheme);
}

/** Calls with every change, in this page or another; what it returns ends that. */
export function watchScheme(hear: (scheme: Scheme) => void): () => void {
  const hearOther = ({ key }: StorageEvent) => key === KEPT && hear(readScheme());
  listeners.add(hear);
  addEventListener('storage', hearOther);
  return () => {
    listeners.delete(hear);
    removeEventListener('storage', hearOther);
  };
}

/** For as long as the page is open: whatever is chosen elsewhere, and whatever the system changes to. */
export function followScheme(): () => void {
  const stop = watchScheme(showScheme);
  system.addEventListener('change', showScheme);
  return () => {
    stop();
    system.removeEventListener('change', showScheme);
  };
}
