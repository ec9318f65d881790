/** The order matters: most browsers also claim to be those further down. */
const BROWSERS: [pattern: RegExp, name: string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const SYSTEMS: [pattern: RegExp, name: string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

const find = (among: [RegExp, string][], text: string) => among.find(([pattern]) => pattern.test(text))?.[1];

/** What a person would call the browser that calls itself so. */
export function nameBrowser(agent: string): { name: string; mobile: boolean } {
  const [browser, system] = [find(BROWSERS, agent), find(SYSTEMS, agent)];
  const name =
    browser && system ? `${browser} on ${system}` : (browser ?? system ?? (agent.slice(0, 60) || 'A program'));
  return { name, mobile: /Mobile|iPhone|Android/.test(agent) };
}
