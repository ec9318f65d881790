// A script of its own, small and first: what the pages will ask for is on its way while the browser still reads them.
import { asks, CHOSEN } from './asks.ts';
import { paths } from './paths.ts';

const answers = new Map<string, Promise<Response>>();
Object.assign(globalThis, { earlyAnswers: answers });

function ask(path: string, method = 'GET'): Promise<Response> {
  const answer = fetch(`/app${path}`, { method, headers: { accept: 'application/json' } });
  // Whoever takes the answer hears of it.
  answer.catch(() => undefined);
  answers.set(`${method} ${path}`, answer);
  return answer;
}

async function openDesk(listId: number): Promise<void> {
  const next = ask(asks.next(listId), 'POST');
  for (const path of [asks.desk(listId), asks.line, asks.day, asks.colleagues]) void ask(path);
  const { lead } = (await (await next).clone().json()) as { lead?: { id: number; detected_duplicates: number[] } };
  void ask(asks.ahead(listId, []));
  if (!lead) return;
  for (const of of [asks.activity, asks.calls, asks.numbers]) void ask(of(lead.id));
  if (lead.detected_duplicates[0]) void ask(asks.lead(lead.detected_duplicates[0]));
}

// The scheme before anything shows, as the kit keeps it.
const kept = localStorage.getItem('mantine-color-scheme-value');
const isDark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';

void ask(asks.me);
if (location.pathname === paths.work) {
  void ask(asks.lists);
  const chosen = Number(localStorage.getItem(CHOSEN));
  if (chosen > 0) openDesk(chosen).catch(() => undefined);
}
