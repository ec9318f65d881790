/** Of a lead's duplicates, told at most, lowest first. A value that more leads share is a placeholder, such as 0000000. */
export const MOST_DUPLICATES = 100;
