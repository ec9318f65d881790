import { useEffect } from 'react';

let page = 'Leadline';
let over: string | undefined;
const show = () => {
  document.title = over ?? page;
};

/** What the browser's tab says while the page is open. */
export function useTitle(title: string): void {
  useEffect(() => {
    page = `${title} · Leadline`;
    show();
    return () => {
      page = 'Leadline';
      show();
    };
  }, [title]);
}

/** What it says instead, whatever page is open, for as long as there is something. */
export function useTitleOver(said: string | undefined): void {
  useEffect(() => {
    over = said;
    show();
    return () => {
      over = undefined;
      show();
    };
  }, [said]);
}
