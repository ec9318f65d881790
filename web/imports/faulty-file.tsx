import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import type { Import } from '../../contract/imports.ts';
import { sayCount } from '../counts.ts';
import '../ui/button.css';
import '../ui/panel.css';
import './faulty-file.css';

/** Where rows come back as they were, with the reason beside each. */
export const faultyAddress = (id: number): string => `/app/imports/${id}/faulty`;

/** Those that could not be imported, to be mended and uploaded again. */
export const FaultyFile = ({ import: { id, counts, has_faulty } }: { import: Import }) => (
  <section className="panel faulty-file" aria-label="Faulty rows">
    <IconAlertTriangle size={18} stroke={1.75} aria-hidden />
    <p className="grow">
      <strong className="strong figures">{sayCount(counts.faulty, 'faulty row')}</strong>{' '}
      {has_faulty
        ? `${counts.faulty === 1 ? 'is' : 'are'} kept in a file with the reason beside each. Mend and upload it.`
        : 'left out. Their file is not kept any more.'}
    </p>
    {has_faulty && (
      <a className="button default" href={faultyAddress(id)} download>
        <IconDownload size={16} stroke={1.75} aria-hidden />
        <span>Faulty rows</span>
      </a>
    )}
  </section>
);
