/**
 * Active ISO 4217 currency codes by the number of decimal digits of their minor unit. Excludes codes that are
 * not a means of payment (precious metals, SDR, bond units, test codes).
 */
const CODES_BY_DIGITS: readonly (readonly [digits: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF ' +
      'CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD ' +
      'GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL ' +
      'MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR ' +
      'PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP ' +
      'TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/** Codes that left the list, and are accepted for no new price: amounts stored in them keep their digits. */
const WITHDRAWN_BY_DIGITS: typeof CODES_BY_DIGITS = [[2, 'ANG BGN CUC HRK SLL ZWL']];

const DIGITS = digitsByCode(CODES_BY_DIGITS);
const WITHDRAWN_DIGITS = digitsByCode(WITHDRAWN_BY_DIGITS);

function digitsByCode(byDigits: typeof CODES_BY_DIGITS): ReadonlyMap<string, number> {
  return new Map(
    byDigits.flatMap(([digits, codes]) => codes.split(' ').map((code): [string, number] => [code, digits])),
  );
}

/** Every currency code tilld knows, sorted. */
export const CURRENCIES: readonly string[] = [...DIGITS.keys()].sort();

/** Minor-unit digits of an ISO 4217 code (USD 2, JPY 0, KWD 3); null for any other text. Upper case only. */
export function currencyDigits(code: string): number | null {
  return DIGITS.get(code) ?? null;
}

/** Minor-unit digits of the currency of a stored amount, which may have left ISO 4217 since. */
export function minorUnitDigits(code: string): number {
  const digits = currencyDigits(code) ?? WITHDRAWN_DIGITS.get(code);
  if (digits === undefined) throw new Error(`${code} has never been a currency code`);
  return digits;
}
