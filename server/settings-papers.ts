import { settings } from './settings.ts';

/** `.env.example`: every setting, commented out. */
export function describeForEnv(): string {
  const blocks = Object.entries(settings).map(([name, { about, expects, unset }]) =>
    [`# ${plain(about)}`, `# Takes ${plain(expects)}.`, `# Unset: ${plain(unset)}.`, `# ${name}=`].join('\n'),
  );
  return `# Copy to .env and uncomment what you need. The environment goes before this file.\n\n${blocks.join('\n\n')}\n`;
}

/** The table in the README. */
export function describeForReadme(): string {
  const rows = Object.entries(settings).map(
    ([name, { about, expects, unset }]) => `| \`${name}\` | ${about} | ${expects} | ${unset} |`,
  );
  return ['| Variable | What it does | Takes | Unset |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

const plain = (text: string) => text.replaceAll('`', '');
