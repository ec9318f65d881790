import { createSpotlight } from '@mantine/spotlight';

/** Whether the search is open, and what is typed into it: from the key on that opens it, before anything of it is drawn. */
export const [searchStore, search] = createSpotlight();

/** The slash is for the search of the page, where it has one of its own. */
export function openNearest(): void {
  const own = document.querySelector<HTMLElement>('[data-search]');
  if (own) own.focus();
  else search.open();
}

/** What is typed before there is a field for it belongs into it, and does nothing else; Esc closes it even if it never comes. */
export function hearSearch(): () => void {
  const hear = (event: KeyboardEvent) => {
    const state = searchStore.getState();
    if (!state.opened || event.isComposing || (event.target as Element).closest('input, textarea')) return;
    if (event.key === 'Escape') searchStore.setState({ ...state, opened: false, query: '' });
    if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    event.preventDefault();
    searchStore.setState({ ...state, query: state.query + event.key });
  };
  addEventListener('keydown', hear);
  return () => removeEventListener('keydown', hear);
}
