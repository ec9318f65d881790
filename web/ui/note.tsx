import type { ComponentPropsWithRef } from 'react';
import './note.css';

/** A few lines to write. */
export const Note = (props: ComponentPropsWithRef<'textarea'>) => <textarea className="note" {...props} />;
