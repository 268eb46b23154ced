// Groups by shared results come from scipy.sparse.csgraph.connected_components over the table of keywords that
// share at least three of their first ten results, computed once outside of here.
import assert from 'node:assert/strict';
import test from 'node:test';
import { clusterKeywords } from '../../crates/web/assets/js/clusters.js';

const RESULTS = JSON.parse('[[112,59,71,84,70,21,4,139,17,86,18,103],[93,62,141,36,71,123,68,39,50,115,99,20],[93,62,141,50,118,114,148,85,132,34,67,130],[91,29,96,132,32,82,11,147,121,20,33,59],[112,59,71,0,125,13,23,47,149,43,103,122],[24,1,110,12,71,44,3,64,123,69,145,43],[24,1,110,12,71,2,27,58,75,98,13,43],[91,29,49,136,134,137,52,149,46,35,114,64],[41,129,11,132,40,77,101,84,115,139,103,95],[112,59,71,0,76,124,10,80,93,107,148,23],[41,11,70,33,148,29,34,0,74,53,22,89],[24,1,110,45,134,84,18,15,57,130,17,12],[69,118,136,102,112,97,7,111,51,20,120,67],[69,118,136,42,146,72,79,55,100,19,34,83],[42,38,79,98,77,112,88,99,17,111,102,132],[102,132,42,80,21,148,14,112,94,92,142,114],[29,122,81,16,99,107,98,115,96,21,101,67],[126,55,75,73,132,123,140,59,111,15,128,69]]');
const WANTED = [[0, 4, 9], [5, 6, 11], [1, 2], [12, 13]];

const idea = (keyword, searchVolume = null) => ({ keyword, searchVolume });
const texts = (groups) => groups.map((it) => it.members.map((member) => member.keyword));

test('keywords that share three of their first ten results belong together', () => {
  const ideas = RESULTS.map((_, index) => idea(`k${String(index).padStart(2, '0')}`));
  const results = new Map(ideas.map((it, index) => [it.keyword, RESULTS[index].map((id) => `u${id}`)]));
  const { method, groups } = clusterKeywords(ideas, { results });
  assert.equal(method, 'sharedResults');
  assert.deepEqual(texts(groups).filter((it) => it.length > 1), WANTED.map((it) => it.map((index) => `k${String(index).padStart(2, '0')}`)));
  assert.equal(groups.length, 12);
});

test('two shared results are too few, and the same address twice counts once', () => {
  const results = new Map([['a', ['x', 'y', 'z']], ['b', ['x', 'y', 'q']], ['c', ['x', 'x', 'y', 'z', 'z']]]);
  const { groups } = clusterKeywords([idea('a'), idea('b'), idea('c')], { results });
  assert.deepEqual(texts(groups), [['a', 'c'], ['b']]);
});

test('where results of one keyword are not known, words decide, and that is said', () => {
  const results = new Map([['trail shoes', ['x', 'y', 'z']]]);
  assert.equal(clusterKeywords([idea('trail shoes'), idea('road shoes')], { results }).method, 'words');
  assert.equal(clusterKeywords([idea('trail shoes')], { results }).method, 'words');
});

test('the word that most share makes a group; words of more than half tell nothing', () => {
  const ideas = [['trail running shoes', 90], ['best trail running shoes for women', 50], ['running shoes women', 70], ['waterproof trail running shoe', 10], ['running shoes', 999], ['how to clean running shoes', 5], ['clean white running shoes', 4]].map(([keyword, volume]) => idea(keyword, volume));
  const { groups } = clusterKeywords(ideas, { language: 'en' });
  assert.deepEqual(texts(groups), [
    ['trail running shoes', 'best trail running shoes for women', 'waterproof trail running shoe'],
    ['how to clean running shoes', 'clean white running shoes'],
    ['running shoes'],
    ['running shoes women'],
  ]);
  assert.deepEqual(groups.map((it) => it.word), ['trail', 'clean', null, null]);
});

test('nothing is lost, nothing doubled, and the order of what comes in does not matter', () => {
  const words = ['red', 'blue', 'trail', 'road', 'kids', 'sale', 'wide', 'light'];
  const ideas = Array.from({ length: 200 }, (_, index) => idea(`${words[index % 8]} ${words[(index * 3 + 1) % 8]} shoes ${index}`, (index * 37) % 91));
  const one = clusterKeywords(ideas);
  const other = clusterKeywords([...ideas].reverse());
  assert.deepEqual(texts(one.groups), texts(other.groups));
  assert.deepEqual(texts(one.groups).flat().sort(), ideas.map((it) => it.keyword).sort());
  assert.deepEqual(clusterKeywords([]).groups, []);
});
