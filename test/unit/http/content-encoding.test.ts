import { describe, expect, it } from 'vitest';
import { matchesEtag } from '../../../src/http/server/constant-text.ts';
import { chooseEncoding } from '../../../src/http/server/content-encoding.ts';

describe('chooseEncoding', () => {
  it.each<[header: string | undefined, encoding: string | null]>([
    [undefined, null],
    ['', null],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;Q=1', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate, zstd', null],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0.8, gzip;q=0.8', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.000, gzip;q=0', null],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', null],
    ['*;q=0, gzip', 'gzip'],
    ['identity', null],
    ['identity, gzip', 'gzip'],
    ['identity;q=1, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.9, br;q=0.4', 'gzip'],
    ['identity;q=0', null],
    ['br ; q=0.3 , gzip ; q=0.2', 'br'],
    ['br;q=2, gzip;q=0.1', 'gzip'],
    ['br;q=high', null],
    ['br;q=0.1234', null],
    ['brotli, gzipped', null],
    [',,;q=1,', null],
  ])('chooses for %j the coding %j', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding);
  });
});

describe('matchesEtag', () => {
  it.each<[header: string | undefined, matches: boolean]>([
    [undefined, false],
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", W/"abc"', true],
    ['*', true],
    ['"abc-br"', false],
    ['abc', false],
    ['"ab"', false],
  ])('compares %j weakly with the tag of the response: %j', (header, matches) => {
    expect(matchesEtag(header, '"abc"')).toBe(matches);
    expect(matchesEtag(header, 'W/"abc"')).toBe(matches);
  });
});
