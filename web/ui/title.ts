import { useEffect } from 'react';

/** What the browser's tab says while the page is open. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Leadline`;
    return () => {
      document.title = 'Leadline';
    };
  }, [title]);
}
