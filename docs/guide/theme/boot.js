// What mdBook's own page has as inline scripts, which the policy of the server's pages refuses.
// Names without `const` in other scripts of mdBook are these.
'use strict';

const path_to_root = '';
const default_light_theme = 'light';
const default_dark_theme = 'navy';
window.path_to_searchindex_js = 'searchindex.js';

const html = document.documentElement;
const default_theme = window.matchMedia('(prefers-color-scheme: dark)').matches
    ? default_dark_theme
    : default_light_theme;

/** Reads a setting of an earlier visit, if the browser keeps any. */
function stored(name) {
    try {
        return localStorage.getItem(name);
    } catch {
        return null;
    }
}

html.classList.remove(default_light_theme);
html.classList.add(stored('mdbook-theme') ?? default_theme, 'js');
