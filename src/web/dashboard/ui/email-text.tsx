/** An email address that wraps before its @ if it is too long for a line. */
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
