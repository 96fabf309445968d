/* The payment methods of the block checkout, those that the shop offers: an icon, a title and a text. */
(function (registry, settings, element, entities) {
  var create = element.createElement;

  function register(name) {
    var data = settings.getSetting(name + '_data', null);
    if (!data || !data.title) return;
    var title = entities.decodeEntities(data.title);
    var Content = function () {
      return create('div', null, entities.decodeEntities(data.description || ''));
    };
    var icon = create('img', { src: data.icon, alt: '', width: 24, height: 24 });
    registry.registerPaymentMethod({
      name: name,
      label: create(
        'span',
        { style: { display: 'inline-flex', alignItems: 'center', gap: '8px' } },
        title,
        icon,
      ),
      ariaLabel: title,
      content: create(Content),
      edit: create(Content),
      canMakePayment: function () {
        return true;
      },
      supports: { features: data.supports || ['products'] },
    });
  }

  ['tilld', 'tilld_btc', 'tilld_ltc', 'tilld_eth', 'tilld_sol'].forEach(register);
})(window.wc.wcBlocksRegistry, window.wc.wcSettings, window.wp.element, window.wp.htmlEntities);
