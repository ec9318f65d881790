import { Button } from '../../ui/button.tsx';
import './script-clash.css';

type Props = {
  theirs: string;
  mine: string;
  why: string | undefined;
  isPending: boolean;
  takeTheirs: () => void;
  keepMine: () => void;
};

/** Two have written at once: both are there, and one says which it is to be. */
export const ScriptClash = ({ theirs, mine, why, isPending, takeTheirs, keepMine }: Props) => (
  <section className="script-clash" aria-label="Two scripts" role="alert">
    <p>
      <span className="strong">{why ?? 'Someone has changed the script meanwhile.'}</span> Yours is still here, and not
      saved.
    </p>
    <div className="script-both">
      <div>
        <h3>Theirs, saved</h3>
        <pre tabIndex={0} aria-label="Theirs">
          {theirs || 'Nothing'}
        </pre>
      </div>
      <div>
        <h3>Yours</h3>
        <pre tabIndex={0} aria-label="Yours">
          {mine || 'Nothing'}
        </pre>
      </div>
    </div>
    <div className="script-choice">
      <Button variant="default" onClick={takeTheirs}>
        Go on with theirs
      </Button>
      <Button loading={isPending} onClick={keepMine}>
        Save mine over it
      </Button>
    </div>
  </section>
);
