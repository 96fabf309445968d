import { describe, expect, it } from 'vitest';
import { headMetas } from '../../../src/workers/site-checks/head-metas.ts';
import { measureCpuMs } from '../../_helpers/timing/cpu-time.ts';

const META = '<meta name="tilld-verification" content="T0KEN">';
const find = (html: string) => headMetas(html, 'tilld-verification');

describe('headMetas', () => {
  it.each([
    ['in a plain page', `<!doctype html><html lang="en"><head>${META}</head><body></body></html>`],
    [
      'among others',
      `<html><head><title>Shop</title><link rel=icon href=/x>${META}<meta charset=utf8></head>`,
    ],
    ['in a page without head tags', `<!doctype html><title>Shop</title>${META}<p>Hello`],
    ['in a page of meta tags only', META],
    ['after a comment and a script', `<head><!-- <body> --><script>if (a < b) "<body>"</script>${META}`],
    [
      'after a template and a noscript',
      `<head><template><p></p></template><noscript><img></noscript>${META}`,
    ],
    ['shouting', '<HTML><HEAD><META NAME="Tilld-Verification" CONTENT=" T0KEN "></HEAD>'],
    ['closing itself', '<head><meta content="T0KEN" name=tilld-verification /></head>'],
    ['after a byte order mark', `\uFEFF<!doctype html>\n<head>${META}`],
    ['in a truncated page', `<head>${META}<sty`],
  ])('finds meta tags %s', (_where, html) => expect(find(html)).toEqual(['T0KEN']));

  it.each([
    ['in the body', `<html><head><title>x</title></head><body>${META}</body></html>`],
    ['after the head', `<html><head></head>${META}`],
    ['in a second head', `<head></head><head>${META}</head>`],
    ['in a head inside the body', `<body><div><head>${META}</head></div>`],
    ['after text, which begins the body', `<html>Hello${META}`],
    ['after an element of the body', `<head><div>${META}</div></head>`],
    ['in a comment', `<head><!-- ${META} --></head>`],
    ['in a script', `<head><script>var x = '${META}'</script></head>`],
    ['in a style', `<head><style>${META}</style></head>`],
    ['in a title', `<head><title>${META}</title></head>`],
    ['in a noscript', `<head><noscript>${META}</noscript></head>`],
    ['in a template', `<head><template>${META}</template></head>`],
    ['in a textarea', `<textarea>${META}</textarea>`],
    ['in a text file', 'name="tilld-verification" content="T0KEN"'],
    [
      'with another name',
      '<head><meta name="verification" content="T0KEN"><meta property="tilld-verification" content="T0KEN">',
    ],
    ['nowhere', ''],
  ])('ignores meta tags %s', (_where, html) => expect(find(html)).toEqual([]));

  it('finds all meta tags, including an empty one', () => {
    expect(find(`<head><meta name=tilld-verification>${META}`)).toEqual(['', 'T0KEN']);
  });

  it('parses a hostile page in linear time', async () => {
    const hostile = [
      '<'.repeat(1_000_000),
      '<template>'.repeat(100_000),
      `<template>${'<div>'.repeat(100_000)}${'</p>'.repeat(100_000)}`,
      '<head><meta '.concat('a="'.repeat(300_000)),
      '<head>'.repeat(150_000),
      '<html>'.repeat(150_000),
      '<noscript>'.repeat(100_000),
      '<meta name=x>'.repeat(70_000),
    ];
    const cpuMs = await measureCpuMs(() => {
      for (const page of hostile) find(page);
    });
    expect(cpuMs).toBeLessThan(3_000);
  });
});
