/** Copies a text. @returns whether it is in the clipboard */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** For plain http and browsers that refuse the clipboard: copies a selection, as the keyboard would. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const box = document.createElement('textarea');
  box.value = text;
  box.readOnly = true;
  box.style.cssText = 'position:fixed;top:0;opacity:0';
  // In a modal dialog, everything outside of it cannot be selected.
  (focused?.closest('dialog, [role="dialog"], [role="alertdialog"]') ?? document.body).append(box);
  box.select();
  // Deprecated, and the only way without the permission.
  const isCopied = document.execCommand('copy');
  box.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
