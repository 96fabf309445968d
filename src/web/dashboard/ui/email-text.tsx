/** An email address that is broken before its @ first, where it does not fit a line. */
export function EmailText({ of: address }: { of: string }) {
  const at = address.lastIndexOf('@');
  return (
    <span className="wrap-anywhere">
      {address.slice(0, Math.max(at, 0))}
      <wbr />
      {address.slice(Math.max(at, 0))}
    </span>
  );
}
