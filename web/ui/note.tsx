import { useLayoutEffect, useRef, type ComponentProps, type Ref } from 'react';
import './note.css';

type Props = ComponentProps<'textarea'> & { ref?: Ref<HTMLTextAreaElement>; value: string };

const GROWS = CSS.supports('field-sizing', 'content');

/** A few lines to write: as high as what is written, up to six lines, then it scrolls. */
export function Note({ ref, ...rest }: Props) {
  const own = useRef<HTMLTextAreaElement>(null);
  const take = (element: HTMLTextAreaElement | null) => {
    own.current = element;
    if (typeof ref === 'function') ref(element);
    else if (ref) ref.current = element;
  };
  useLayoutEffect(() => {
    const { current: area } = own;
    if (GROWS || !area) return;
    // Where the browser cannot do it by itself.
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [rest.value]);
  return <textarea ref={take} className="note" {...rest} />;
}
