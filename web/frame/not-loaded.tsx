import { Button } from '../ui/button.tsx';
import './not-loaded.css';

/** In place of what comes late. It stays away for as long as the page does: a browser remembers of a script that it did not come. */
export const NotLoaded = () => (
  <div className="not-loaded" role="alert">
    <p>Notices and search could not be loaded. Reload the page once there is a connection.</p>
    <Button variant="default" onClick={() => location.reload()}>
      Reload
    </Button>
  </div>
);
