import { IconWifiOff } from '@tabler/icons-react';
import { useState } from 'react';
import type { Import } from '../../contract/imports.ts';
import { percentOf } from '../importing.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Drop } from './drop.tsx';
import { ImportFrame } from './import-frame.tsx';
import { ProgressCard } from './progress-card.tsx';
import { useDiscard } from './queries.ts';
import { beginUpload, stopUpload, useUpload, type Upload } from './uploads.ts';
import { nameOfList, sayBytes, sayLeft } from './words.ts';
import '../ui/panel.css';
import './card.css';
import './uploading.css';

/** The file is on its way; or was, before the page was closed. */
export function Uploading({ import: one }: { import: Import }) {
  const upload = useUpload(one.id);
  const sent = Math.max(upload?.sent ?? 0, one.received);
  return (
    <ImportFrame
      title={`Import into ${nameOfList(one)}`}
      step={0}
      percent={upload && percentOf(sent, one.bytes)}
      className="import-alone"
    >
      {upload && !upload.error ? (
        <OnItsWay import={one} upload={upload} sent={sent} />
      ) : (
        <ChooseAgain import={one} error={upload?.error} />
      )}
    </ImportFrame>
  );
}

function OnItsWay({ import: one, upload, sent }: { import: Import; upload: Upload; sent: number }) {
  const { isLost, secondsLeft } = upload;
  return (
    <>
      <ProgressCard
        name="Upload"
        label={`${one.file_name} is being uploaded`}
        done={sent}
        total={one.bytes}
        says={!isLost && sayLeft(secondsLeft ?? null)}
        line={
          <>
            <strong className="strong">{sayBytes(sent)}</strong> of {sayBytes(one.bytes)}, {one.file_name}
          </>
        }
      >
        {/* Always there, so that what comes into it is read aloud. */}
        <p role="status" className="upload-lost">
          {isLost && (
            <>
              <IconWifiOff size={16} stroke={1.75} aria-hidden />
              Connection lost. It goes on when it is back, from where it was.
            </>
          )}
        </p>
      </ProgressCard>
      <p className="import-says">You can look at other pages meanwhile. Keep this tab open until the file is here.</p>
      <Cancel import={one} />
    </>
  );
}

/** Some of it is here. A browser does not remember the file itself, so it has to be chosen once more. */
function ChooseAgain({ import: one, error }: { import: Import; error: Error | undefined }) {
  const [fault, setFault] = useState<string>();
  const take = (file: File) => {
    const isSame = file.name === one.file_name && file.size === one.bytes;
    if (isSame) beginUpload(one, file);
    else
      setFault(
        `That is ${file.name} with ${sayBytes(file.size)}. Choose ${one.file_name} with ${sayBytes(one.bytes)}, or cancel and begin anew.`,
      );
  };
  const said = fault ?? error?.message;
  return (
    <>
      <section className="panel import-card" aria-label="Upload">
        <div className="stack">
          <Drop words="Choose the file again" take={take} refuse={setFault}>
            <p className="strong wrap">
              {sayBytes(one.received)} of {one.file_name} are here, out of {sayBytes(one.bytes)}
            </p>
            <p className="meta">Choose the same file again, or drop it here: the upload goes on from there.</p>
          </Drop>
          {said && (
            <p role="alert" className="fault">
              {said}
            </p>
          )}
        </div>
      </section>
      <Cancel import={one} />
    </>
  );
}

function Cancel({ import: one }: { import: Import }) {
  const discard = useDiscard(one);
  const [asks, setAsks] = useState(false);
  return (
    <div className="import-acts">
      <Button variant="default" onClick={() => setAsks(true)}>
        Cancel the upload
      </Button>
      <Confirm
        opened={asks}
        close={() => setAsks(false)}
        title="Cancel the upload"
        safe="Go on"
        verb="Cancel the upload"
        act={() => {
          stopUpload(one.id);
          return discard();
        }}
      >
        What is here of {one.file_name} goes away. No lead was made.
      </Confirm>
    </div>
  );
}
