// Shows or hides the sidebar before it is painted. The elements are above this script in the page.
'use strict';

const is_wide = document.body.clientWidth >= 1080;
const sidebar = is_wide ? (stored('mdbook-sidebar') ?? 'visible') : 'hidden';
document.getElementById('mdbook-sidebar-toggle-anchor').checked = sidebar === 'visible';
html.classList.toggle('sidebar-visible', sidebar === 'visible');
document.getElementById('mdbook-sidebar-toggle')
    .setAttribute('aria-expanded', String(sidebar === 'visible'));
document.getElementById('mdbook-sidebar').setAttribute('aria-hidden', String(sidebar !== 'visible'));
for (const link of document.querySelectorAll('#mdbook-sidebar a')) {
    link.tabIndex = sidebar === 'visible' ? 0 : -1;
}
