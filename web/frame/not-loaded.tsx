import { Button } from '../ui/button.tsx';
import './not-loaded.css';

type Props = {
  /** A sentence. */
  children: string;
  isOver?: boolean;
};

/** In place of what fails to come. It stays away for as long as the page does: a browser remembers of a script that it did not come. */
export const NotLoaded = ({ children, isOver = false }: Props) => (
  <div className={isOver ? 'not-loaded over' : 'not-loaded'} role="alert">
    <p>{children} Reload the page once there is a connection.</p>
    <Button variant="default" onClick={() => location.reload()}>
      Reload
    </Button>
  </div>
);
