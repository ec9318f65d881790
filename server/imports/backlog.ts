import { measureWaiting } from '../platform/measures.ts';

export const IMPORTS = measureWaiting(
  'imports_waiting',
  'Imports that are being read, checked, run or undone',
  'received_at',
  `imports where state in ('reading', 'checking', 'running', 'undoing')`,
);
