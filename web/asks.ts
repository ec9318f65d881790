/** What the desk asks for first: by the early script, and by the pages where that one did not. */
export const asks = {
  me: '/me',
  lists: '/lists',
  colleagues: '/colleagues',
  day: '/day',
  line: '/line',
  next: (listId: number) => `/lists/${listId}/next`,
  desk: (listId: number) => `/lists/${listId}/desk`,
  ahead: (listId: number, past: readonly number[]) => `/lists/${listId}/ahead?past=${past.join(',')}`,
  lead: (id: number) => `/leads/${id}`,
  activity: (id: number) => `/leads/${id}/activity?per_page=200`,
  calls: (id: number) => `/calls?lead_id=${id}&per_page=100`,
  comingBack: (id: number) => `/leads/${id}/coming_back`,
  numbers: (id: number) => `/leads/${id}/numbers`,
};

/** Where a browser keeps the list that was worked on last. */
export const CHOSEN = 'leadline list';
