import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

type Props = TextInputProps & { value: string; save: (text: string) => void };

/** Saved when it is left, or by Enter: not with every letter, as rows are counted anew. What is emptied is as it was. */
export function SavedText({ value, save, ...rest }: Props) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // What someone is typing stays.
    if (input.current !== document.activeElement) setText(value);
  }, [value]);
  const end = () => {
    const wanted = text.trim();
    if (wanted === '') setText(value);
    else if (wanted !== value) save(wanted);
  };
  return (
    <TextInput
      ref={input}
      autoComplete="off"
      maxLength={255}
      {...rest}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={end}
      onKeyDown={(event) => event.key === 'Enter' && end()}
    />
  );
}
