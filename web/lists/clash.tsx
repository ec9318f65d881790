import type { ListWithSettings } from '../../contract/list-pages.ts';
import { Button } from '../ui/button.tsx';
import { tellFailure } from '../ui/notices.ts';
import type { Saving } from './change-list.ts';
import './clash.css';

type Props = {
  saving: Pick<Saving<never>, 'clash' | 'isPending' | 'saveMine' | 'takeTheirs'>;
  /** Puts what the other has saved in the place of what was typed. */
  showTheirs: (list: ListWithSettings) => void;
};

/** Two have changed the same: what was typed stays until one says whose it is to be. */
export const Clash = ({ saving: { clash, isPending, saveMine, takeTheirs }, showTheirs }: Props) =>
  clash && (
    <div className="clash" role="alert">
      <p className="grow">{clash.message} What you typed is still here.</p>
      <Button variant="default" onClick={() => void takeTheirs().then(showTheirs, tellFailure)}>
        Show theirs
      </Button>
      <Button loading={isPending} onClick={saveMine}>
        Save mine all the same
      </Button>
    </div>
  );
