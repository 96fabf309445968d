/* The payment method of the block checkout: a title and a text; the customer pays on tilld's own page. */
(function (registry, settings, element, entities) {
  var data = settings.getSetting('tilld_data', {});
  var title = entities.decodeEntities(data.title || 'tilld');
  var Content = function () {
    return element.createElement('div', null, entities.decodeEntities(data.description || ''));
  };
  registry.registerPaymentMethod({
    name: 'tilld',
    label: element.createElement('span', null, title),
    ariaLabel: title,
    content: element.createElement(Content),
    edit: element.createElement(Content),
    canMakePayment: function () {
      return true;
    },
    supports: { features: data.supports || ['products'] },
  });
})(window.wc.wcBlocksRegistry, window.wc.wcSettings, window.wp.element, window.wp.htmlEntities);
