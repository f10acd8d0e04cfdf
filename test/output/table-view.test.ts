// The fields of a result that are shown: rows, fields by their paths, the names of columns. Own properties only.

import { describe, expect, it } from 'vitest';
import { pathsOf, resolvePath } from '../../src/api/operations/fields.ts';
import { facebookPages, telegramSession } from '../../src/api/operations/connect.ts';
import { disable } from '../../src/api/operations/credentials.ts';
import { get } from '../../src/api/operations/posts.ts';
import { columnOf, pick, layoutOf, valueAt } from '../../src/output/table-view.ts';

const data = {
  id: 'P',
  status: 'partial',
  metadata: { a: { b: 1 } },
  targets: [
    { id: 'A', status: 'failed' },
    { id: 'B', error: 'x' },
  ],
};

describe('selecting fields', () => {
  it.each([
    [['status'], { status: 'partial' }],
    [['targets.id'], { targets: [{ id: 'A' }, { id: 'B' }] }],
    [['targets.id', 'targets.error'], { targets: [{ id: 'A' }, { id: 'B', error: 'x' }] }],
    [['targets', 'targets.id'], { targets: data.targets }],
    [['metadata.a.b', 'id'], { metadata: { a: { b: 1 } }, id: 'P' }],
    [['nothing', 'id'], { id: 'P' }],
    [['id.deeper'], { id: 'P' }],
    [['toString', '__proto__'], {}],
  ])('%j', (paths, picked) => {
    expect(pick(data, paths)).toEqual(picked);
  });

  it('keeps the requested order', () => {
    expect(Object.keys(pick(data, ['targets.id', 'status', 'id']) as object)).toEqual([
      'targets',
      'status',
      'id',
    ]);
  });
});

describe('a view of selected fields', () => {
  const shown = { rows: 'targets', header: ['status'], columns: ['id'] };

  it('repeats the fields of the whole on every row', () => {
    const view = layoutOf(shown, ['status', 'targets.id', 'targets.error'])(data);
    expect(view.rows).toEqual([
      ['partial', 'A', undefined],
      ['partial', 'B', 'x'],
    ]);
    expect(view.header).toEqual([]);
  });

  it('is one row when no field of the rows is requested', () => {
    expect(layoutOf(shown, ['id', 'status'])(data)).toMatchObject({
      rows: [['P', 'partial']],
      isList: false,
    });
  });
});

describe('a path', () => {
  it.each([
    ['id', 'P'],
    ['metadata.a.b', 1],
    ['metadata.a.c', undefined],
    ['id.length', undefined],
    ['constructor', undefined],
    ['targets.0.id', 'A'],
    ['__proto__.x', undefined],
  ])('%s leads to %j', (path, value) => {
    expect(valueAt(data, path)).toBe(value);
  });

  it.each([
    ['status', 'status'],
    ['targets.id', 'targets.id'],
    ['platform', 'targets.platform'],
    ['error', 'targets.error'],
    ['metadata.any.thing', 'metadata.any.thing'],
    ['targets.platformSpecificData.poll.options', 'targets.platformSpecificData.poll.options'],
    [
      'targets.platformSpecificData.threadItems.content',
      'targets.platformSpecificData.threadItems.content',
    ],
    ['nothing', undefined],
    ['status.deeper', undefined],
    ['targets.nothing', undefined],
    ['toString', undefined],
    ['', undefined],
  ])('typed as %j means %s', (typed, path) => {
    expect(resolvePath(get, typed)).toBe(path);
  });

  it('exists for every listed field', () => {
    for (const operation of [get, facebookPages, telegramSession]) {
      expect(pathsOf(operation).length).toBeGreaterThan(5);
      for (const path of pathsOf(operation)) expect(resolvePath(operation, path)).toBe(path);
    }
  });
});

describe('a column', () => {
  it.each([
    ['status', 'status'],
    ['nativeUrl', 'native url'],
    ['updatedAt', 'updated'],
    ['scheduledFor', 'scheduled for'],
    ['account.displayName', 'account'],
    ['status.id', 'status id'],
    ['readiness.status', 'status'],
    ['missingPermissions', 'missing permissions'],
  ])('of %s is called "%s"', (path, label) => {
    expect(columnOf(path)).toMatchObject({ path, name: path, label });
  });

  it('has the label, tone and format of its field, wherever the field is', () => {
    const disabled = disable;
    const view = layoutOf(disabled)({});
    expect(view.header.map(([{ label }]) => label)).toEqual([
      'credential',
      'credential id',
      'platform',
      'action',
    ]);
    expect(view.header[3]![0]).toMatchObject({ tones: 'good' });
    expect(view.columns.map(({ label, look }) => [label, look])).toEqual([
      ['linked accounts', undefined],
      ['connected before', undefined],
      ['to reconnect', 'alarm'],
    ]);
    const post = get;
    const url = { path: 'nativeUrl', name: 'targets.nativeUrl', label: 'url', look: 'below' };
    expect(layoutOf(post)({}).columns).toContainEqual(url);
    expect(layoutOf(post, ['targets.nativeUrl'])({}).columns).toEqual([
      { ...url, path: 'targets.nativeUrl' },
    ]);
  });
});
