import type { Page } from 'playwright-core';

/** What the page knows by now is drawn; what hangs at something else is put there in the frame after. */
export const isDrawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** What is cut, covered, or wider than the window; what cannot be reached by scrolling. Empty where all is well. */
export async function findFaults(page: Page): Promise<string[]> {
  await isDrawn(page);
  return page.evaluate(lookAround);
}

/** Runs in the page. */
function lookAround(): string[] {
  const faults: string[] = [];
  const say = (element: Element) => {
    const words = element.getAttribute('aria-label') ?? (element.textContent || element.getAttribute('placeholder'));
    return `${element.tagName.toLowerCase()}.${[...element.classList].filter((name) => !name.startsWith('m_')).join('.')} "${(words ?? '').trim().slice(0, 40)}"`;
  };
  const styleOf = (element: Element) => getComputedStyle(element);
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) faults.push(`the page is ${root.scrollWidth - innerWidth} px too wide`);

  /** The part of it that shows: what its ancestors let through. */
  const shownPart = (element: Element): DOMRect => {
    let { left, top, right, bottom } = element.getBoundingClientRect();
    for (let up = element.parentElement; up && up !== root; up = up.parentElement) {
      const { overflowX, overflowY, position } = styleOf(up);
      const box = up.getBoundingClientRect();
      if (overflowX !== 'visible') [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      if (overflowY !== 'visible') [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
      if (position === 'fixed') break;
    }
    return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
  };
  /** What lies over the rest on purpose: a dialog, a menu, a notice, a foot that stays in sight. */
  const layerOf = (element: Element): Element => {
    for (let up: Element | null = element; up && up !== document.body; up = up.parentElement) {
      if (up.matches('[popover], [role="dialog"], [class*="dropdown"], .mantine-Notifications-root')) return up;
      if (['sticky', 'fixed'].includes(styleOf(up).position)) return up;
    }
    return document.body;
  };
  const isSeen = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.getBoundingClientRect().width > 2 &&
    !element.closest('[aria-hidden="true"], .unseen, .skip-link');
  const controls = [
    ...document.querySelectorAll<HTMLElement>(
      'button, a[href], input:not([type="hidden"]), select, textarea, [role="slider"], [role="option"]',
    ),
  ].filter(isSeen);

  for (const control of controls) {
    const isField = control.matches('input, select, textarea');
    const canEllipse = [control, ...control.querySelectorAll('*')].some(
      (one) => styleOf(one).textOverflow === 'ellipsis',
    );
    if (!isField && !canEllipse && styleOf(control).display !== 'inline') {
      if (control.scrollWidth > control.clientWidth + 1)
        faults.push(`${say(control)} is cut: ${control.scrollWidth} px in ${control.clientWidth}`);
      if (control.scrollHeight > control.clientHeight + 3)
        faults.push(`${say(control)} is cut: ${control.scrollHeight} px high in ${control.clientHeight}`);
    }
    const own = control.getBoundingClientRect();
    let scrolls = root.scrollHeight > innerHeight;
    for (let up = control.parentElement; up && up !== root; up = up.parentElement) {
      const { overflowX, overflowY, position } = styleOf(up);
      const box = up.getBoundingClientRect();
      if (/auto|scroll/.test(overflowX) && up.scrollWidth > up.clientWidth) scrolls = true;
      if (!scrolls && /hidden|clip/.test(overflowX) && (own.right > box.right + 1 || own.left < box.left - 1))
        faults.push(`${say(control)} is cut by ${say(up)}`);
      if (/auto|scroll/.test(overflowY)) scrolls = true;
      if (!scrolls && /hidden|clip/.test(overflowY) && (own.bottom > box.bottom + 1 || own.top < box.top - 1))
        faults.push(`${say(control)} is cut below or above by ${say(up)}`);
      if (position === 'fixed') break;
    }
    if (!scrolls && (own.right > innerWidth + 1 || own.left < -1 || own.bottom > innerHeight + 1 || own.top < -1))
      faults.push(`${say(control)} is outside the window and nothing scrolls there`);
  }

  // Only rows of chips, tabs and places, and a table of many columns, are longer than the window on purpose.
  for (const element of document.querySelectorAll('body *')) {
    if (!/auto|scroll/.test(styleOf(element).overflowX) || element.scrollWidth <= element.clientWidth + 1) continue;
    if (
      !isSeen(element) ||
      element.matches(
        '.chips, .clock, .leads-scroll, .preview-scroll, .state-tabs, .manage-nav, .script .panel-head, pre, code, textarea, input',
      )
    )
      continue;
    faults.push(`${say(element)} scrolls sideways: ${element.scrollWidth} px in ${element.clientWidth}`);
  }

  // No two on top of each other.
  const places = controls
    .map((control) => ({ control, layer: layerOf(control), box: shownPart(control) }))
    .filter(({ box }) => box.width > 2 && box.height > 2);
  places.forEach((one, index) => {
    for (const other of places.slice(index + 1)) {
      if (one.layer !== other.layer || one.control.contains(other.control)) continue;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (wide <= 1 || high <= 1) continue;
      // A button at the end of a field belongs to it.
      const field = [one.control, other.control].find((part) => part.matches('input, textarea'));
      if (field && field.parentElement?.parentElement?.contains(field === one.control ? other.control : one.control))
        continue;
      faults.push(`${say(one.control)} and ${say(other.control)} lie on each other`);
    }
  });

  // Words that are cut without a sign that they go on.
  for (const element of document.querySelectorAll('body *')) {
    if (!isSeen(element) || ![...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue!.trim()))
      continue;
    const { overflowX, textOverflow, clipPath } = styleOf(element);
    if (clipPath !== 'none' || element.matches('script, style, textarea')) continue;
    if (/hidden|clip/.test(overflowX) && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1)
      faults.push(`the words of ${say(element)} are cut`);
  }

  // What a call and its outcome need is there, or can be scrolled to, and can be pressed.
  const layers = document.querySelector(':popover-open, [role="dialog"]');
  if (!layers) {
    for (const control of document.querySelectorAll(
      '.outcome, .phone-button, .dock .save, .dock .chip, [role="tab"]',
    )) {
      if (!isSeen(control)) continue;
      control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      const { left, top, right, bottom } = control.getBoundingClientRect();
      if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
        faults.push(`${say(control)} cannot be scrolled to`);
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      if (!hit || !(control.contains(hit) || hit.contains(control)))
        faults.push(`${say(control)} is covered by ${hit && say(hit)}`);
    }
    for (const scroller of document.querySelectorAll('.desk, .desk-middle')) scroller.scrollTop = 0;
  }
  return [...new Set(faults)];
}
