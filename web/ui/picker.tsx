import { Combobox, useCombobox } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { sayCount } from '../counts.ts';
import { GuardedButton } from './guarded.tsx';
import './float.css';
import './picker.css';

/** `further`: behind More, until it is looked for by name. */
export type Choice = { value: string; label: string; hint?: string | undefined; further?: boolean };

const MORE = ' more';

type Props = {
  label: string;
  icon: ReactNode;
  /** What is looked for, on the field that narrows the choices. */
  seek: string;
  choices: Choice[];
  choose: (value: string) => void;
  may: boolean;
  who: string;
  isBusy?: boolean;
};

/** A button that opens a list to pick one from, narrowed by typing. */
export function Picker({ label, icon, seek, choices, choose, may, who, isBusy = false }: Props) {
  const [sought, setSought] = useState('');
  const [more, setMore] = useState(false);
  const combobox = useCombobox({
    onDropdownOpen: () => combobox.focusSearchInput(),
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      combobox.focusTarget();
      setSought('');
      setMore(false);
    },
  });
  const words = sought.trim().toLowerCase();
  const found = choices.filter((choice) => `${choice.label} ${choice.hint ?? ''}`.toLowerCase().includes(words));
  const near = found.filter(({ further }) => !further);
  const shown = more || words !== '' || near.length === 0 ? found : near;
  const hidden = found.length - shown.length;
  return (
    <Combobox
      store={combobox}
      width={280}
      position="bottom-end"
      shadow="none"
      // Inside its landmark, unlike at the end of the page.
      withinPortal={false}
      classNames={{ dropdown: 'float' }}
      onOptionSubmit={(value) => {
        if (value === MORE) {
          setMore(true);
          combobox.focusSearchInput();
          return;
        }
        combobox.closeDropdown();
        choose(value);
      }}
    >
      <Combobox.Target targetType="button" withAriaAttributes={false}>
        <GuardedButton
          variant="default"
          leftSection={icon}
          may={may}
          who={who}
          aria-haspopup="listbox"
          aria-expanded={combobox.dropdownOpened}
          loading={isBusy}
          onClick={() => combobox.toggleDropdown()}
        >
          {label}
        </GuardedButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          aria-label={seek}
          placeholder={seek}
          value={sought}
          onChange={(event) => {
            setSought(event.currentTarget.value);
            combobox.selectFirstOption();
          }}
        />
        <Combobox.Options aria-label={label} mah={280} className="picker-options">
          {shown.length === 0 && <Combobox.Empty>Nothing of that name.</Combobox.Empty>}
          {shown.map(({ value, label: name, hint }) => (
            <Combobox.Option key={value} value={value}>
              {name}
              {hint && <span className="dim"> {hint}</span>}
            </Combobox.Option>
          ))}
          {hidden > 0 && (
            <Combobox.Option value={MORE}>
              More <span className="dim">{sayCount(hidden, 'other')}</span>
            </Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
