import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Import } from '../../contract/imports.ts';
import { paths } from '../../contract/paths.ts';
import { Fault } from '../ui/form.tsx';
import { ImportFrame } from './import-frame.tsx';
import { useImportChange } from './match/change.ts';
import { FileLine } from './match/file-line.tsx';
import { sayBytes } from './words.ts';
import '../ui/panel.css';
import './card.css';
import './refused-file.css';

/** It is no file that could be read. */
export const RefusedFile = ({ import: one }: { import: Import }) => (
  <ImportFrame title="Import a file" step={0} className="import-alone">
    <section className="panel import-card" aria-label="The file">
      <div className="refused-file" role="alert">
        <IconAlertTriangle size={20} stroke={1.75} aria-hidden />
        <div className="grow">
          <h2>{one.file_name} cannot be read</h2>
          <p className="wrap">{one.refusal}</p>
          <p className="meta">{sayBytes(one.bytes)}. No lead was made.</p>
        </div>
      </div>
      {one.how_read && <Otherwise import={one} />}
    </section>
    <div className="import-acts">
      <Link to={paths.newImport} search={(one.list ? { list: one.list.id } : {}) as never} className="button filled">
        Choose another file
      </Link>
    </div>
  </ImportFrame>
);

/** Perhaps only how it was read is wrong. */
function Otherwise({ import: one }: { import: Import }) {
  const { now, changeHow, error } = useImportChange(one);
  return (
    <div className="refused-otherwise">
      <p className="meta">Or read it in another way:</p>
      <FileLine import={now} change={changeHow} />
      <Fault error={error} />
    </div>
  );
}
