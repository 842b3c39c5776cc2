// Makes the index that the search of mdBook loads from the texts of the pages. scripts/guide.py puts the texts in.
'use strict';

(() => {
    const { rest, fields, documents } = /* DATA */ null;
    const index = elasticlunr(function () {
        this.setRef('id');
        fields.forEach((field) => this.addField(field));
    });
    documents.forEach((document) => index.addDoc(document));
    window.search = Object.assign(window.search, rest, { index: index.toJSON() });
})();
